# Does what a script of words says; see script.go.
def e(text)
  $stdout.sync = true
  text.split.each do |w|
    o, a = w[0], w[1..]
    case o
    when 'l' then puts "<#{a}>"
    when 'h' then print [a].pack('H*')
    when 's' then sleep(a.to_i / 1000.0)
    when 'x'
      t = Process.clock_gettime(Process::CLOCK_MONOTONIC) + a.to_i / 1000.0
      nil while Process.clock_gettime(Process::CLOCK_MONOTONIC) < t
    when 'n' then 1.upto(a.to_i) { |i| puts "<#{i}>" }
    when 'b'
      n, ms = a.split('x').map(&:to_i)
      1.upto(n) { |i| puts "<#{i}>"; sleep(ms / 1000.0) }
    end
  end
  nil
end
