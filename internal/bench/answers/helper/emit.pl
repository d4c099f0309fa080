# Does what a script of words says; see script.go.
use Time::HiRes ();
sub e {
  $| = 1;
  for my $w (split ' ', shift) {
    my ($o, $a) = (substr($w, 0, 1), substr($w, 1));
    if ($o eq 'l') { print "<$a>\n" }
    elsif ($o eq 'h') { print pack('H*', $a) }
    elsif ($o eq 's') { Time::HiRes::sleep($a / 1000) }
    elsif ($o eq 'x') { my $t = Time::HiRes::time() + $a / 1000; 1 while Time::HiRes::time() < $t }
    elsif ($o eq 'n') { print "<$_>\n" for 1 .. $a }
    elsif ($o eq 'b') { my ($n, $ms) = split /x/, $a; for my $i (1 .. $n) { print "<$i>\n"; Time::HiRes::sleep($ms / 1000) } }
  }
  return;
}
1;
