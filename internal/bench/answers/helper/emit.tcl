# Does what a script of words says; see script.go.
proc e {text} {
  fconfigure stdout -buffering none
  foreach w $text {
    set o [string index $w 0]
    set a [string range $w 1 end]
    switch $o {
      l { puts "<$a>" }
      h { puts -nonewline [binary format H* $a] }
      s { after $a }
      x { set t [expr {[clock milliseconds] + $a}]; while {[clock milliseconds] < $t} {} }
      n { for {set i 1} {$i <= $a} {incr i} { puts "<$i>" } }
      b {
        lassign [split $a x] n ms
        for {set i 1} {$i <= $n} {incr i} { puts "<$i>"; after $ms }
      }
    }
  }
}
