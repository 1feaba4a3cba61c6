"""Apache httpd with an MPM of the case's, and with a script in Perl."""

from pathlib import Path

from bench.foreign.case import Component
from bench.foreign.servers.start import Place, Start
from bench.foreign.servers.web import page_folder, program, written

MODULES = Path("/usr/lib/apache2/modules")
USUAL = ("authz_core", "mime", "dir", "alias")
CONFIGURATION = """
{loads}
ServerName {host}
Listen {address}
User nobody
Group nogroup
PidFile "{folder}/pid"
DefaultRuntimeDir "{folder}"
ErrorLog "{folder}/error.log"
LogLevel error
DocumentRoot "{pages}"
TypesConfig /dev/null
AddType text/html .html
<Directory "{pages}">
  Require all granted
</Directory>
{config}
"""
SCRIPTS = {
    "sum.pl": "#!/usr/bin/perl\nmy $sum = 0;\n$sum += $_ % 7 for 1 .. $ENV{QUERY_STRING};\n"
    'print "Content-Type: text/plain\\nContent-Length: 200\\n\\n", "x" x 200;\n',
}
"""In `scripts`: it adds as many numbers up as its query says."""


def apache(component: Component, place: Place) -> Start:
    """Its modules are those that the case names in `options`, the MPM among them."""
    scripts = place.folder / "scripts"
    scripts.mkdir()
    for name, text in SCRIPTS.items():
        (scripts / name).write_text(text, "utf-8")
        (scripts / name).chmod(0o755)
    names = [*USUAL, *component.options.split()]
    config = component.config.replace("{scripts}", str(scripts))
    text = CONFIGURATION.format(
        loads="\n".join(f"LoadModule {one}_module {MODULES}/mod_{one}.so" for one in names),
        host=place.host,
        address=place.address,
        folder=place.folder,
        pages=page_folder(component, place),
        config=config.replace("{folder}", str(place.folder)),
    )
    command = [program("apache2"), "-DFOREGROUND"]
    return Start([*command, "-f", written(place, "httpd.conf", text)], place.address)
