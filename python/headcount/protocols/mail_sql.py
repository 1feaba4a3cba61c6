"""Mail, with people and documents in a database: the same users speak to two servers."""

from headcount.protocols import mail, sql
from headcount.protocols.pair import joined

PROTOCOL = joined(mail.PROTOCOL, sql.PROTOCOL, usual_workload="notes-maildb")
