<?php
// A plain page in PHP: its flags, a parameter of the web server, choose what a request does.
function used(): float
{
    $usage = getrusage();
    return $usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']
        + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) / 1e6;
}

$words = explode(' ', $_SERVER['FLAGS'] ?? '');
for ($at = 0; $at + 1 < count($words); $at += 2) {
    [$name, $value] = [$words[$at], $words[$at + 1]];
    if ($name === '--cpu-ms') {
        $end = used() + $value / 1000;
        for ($sum = 0; used() < $end;) {
            for ($i = 0; $i < 2000; $i++) {
                $sum += $i * $i;
            }
        }
    } elseif ($name === '--sleep-ms') {
        usleep((int) ($value * 1000));
    } elseif ($name === '--upstream') {
        if (file_get_contents($value) === false) {
            http_response_code(502);
            exit('no answer from the other server');
        }
    }
}
header('Content-Type: text/plain');
echo str_repeat("a line\n", 30);
