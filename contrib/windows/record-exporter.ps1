<#
.SYNOPSIS
Records pages of windows_exporter, each with the moment it was read.

.DESCRIPTION
Asks a windows_exporter for its page again and again and appends each answer to one file, below a line
that says when it was read: `# headcount page <seconds since 1970>`. Headcount reads such a file as a
log of counters, and its tests can be extended with one (tests/counters/pages).

Install the exporter (https://github.com/prometheus-community/windows_exporter) with the collectors
cpu, memory, cache, physical_disk, logical_disk, net, os, system, tcp, time, pagefile and smb.
Nothing on the machine is changed. The file holds names of disks, adapters, shares and the machine.

.EXAMPLE
.\record-exporter.ps1 -Seconds 600 -Out C:\logs\fs1.prom
#>
param(
    [string] $Url = "http://127.0.0.1:9182/metrics",
    [int] $Seconds = 60,
    [double] $EverySeconds = 1.0,
    [Parameter(Mandatory = $true)] [string] $Out
)
$ErrorActionPreference = "Stop"
$invariant = [Globalization.CultureInfo]::InvariantCulture
$epoch = [DateTime]::new(1970, 1, 1, 0, 0, 0, [DateTimeKind]::Utc)
# Without a byte order mark and with line feeds alone, as the exposition format has them.
$writer = [IO.StreamWriter]::new($Out, $false, [Text.UTF8Encoding]::new($false))
$writer.NewLine = "`n"
$client = [Net.WebClient]::new()
$client.Encoding = [Text.Encoding]::UTF8
try {
    $end = [DateTime]::UtcNow.AddSeconds($Seconds)
    $due = [DateTime]::UtcNow
    while ([DateTime]::UtcNow -lt $end) {
        $now = ([DateTime]::UtcNow - $epoch).TotalSeconds.ToString("F3", $invariant)
        try {
            $page = $client.DownloadString($Url)
            $writer.WriteLine("# headcount page $now")
            $writer.Write($page)
            if (-not $page.EndsWith("`n")) { $writer.WriteLine() }
            $writer.Flush()
        }
        catch { Write-Warning "no answer at ${now}: $($_.Exception.Message)" }
        $due = $due.AddSeconds($EverySeconds)
        $wait = ($due - [DateTime]::UtcNow).TotalMilliseconds
        if ($wait -gt 0) { Start-Sleep -Milliseconds ([int]$wait) }
    }
}
finally { $writer.Close(); $client.Dispose() }
