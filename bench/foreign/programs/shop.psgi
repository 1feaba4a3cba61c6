# A plain PSGI application: the words of APP_FLAGS choose what a request does, and so what limits it.
use strict;
use warnings;
use Fcntl qw(:flock);
use Time::HiRes qw(sleep);

my %flags = map { s/^--//r } split ' ', $ENV{APP_FLAGS};

sub {
    if ($flags{rounds}) {
        my $sum = 0;
        $sum += $_ % 7 for 1 .. $flags{rounds};
    }
    if ($flags{'lock-ms'}) {
        open my $file, '>', "$flags{file}" or die "$flags{file}: $!";
        flock $file, LOCK_EX or die "flock: $!";
        sleep $flags{'lock-ms'} / 1000;
        close $file;
    }
    sleep $flags{'sleep-ms'} / 1000 if $flags{'sleep-ms'};
    return [200, ['Content-Type' => 'text/plain', 'Content-Length' => 200], ['x' x 200]];
};
