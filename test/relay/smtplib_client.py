"""Sends with Python's smtplib what the tests of the relay ask for: one JSON object in, one out."""
import json
import smtplib
import ssl
import sys
from email.message import EmailMessage

asked = json.load(sys.stdin)
context = ssl.create_default_context(cafile=asked["certificate"])
if asked["tls"]:
    client = smtplib.SMTP_SSL("localhost", asked["port"], context=context)
else:
    client = smtplib.SMTP("localhost", asked["port"])
    client.starttls(context=context)

try:
    client.login("anybody", asked["password"])
    if "raw" in asked:
        client.sendmail("hello@demo.test", asked["to"], asked["raw"].encode(), ["BODY=8BITMIME"])
    else:
        message = EmailMessage()
        message["From"] = "Hello <hello@demo.test>"
        message["To"] = ", ".join(asked["to"])
        message["Subject"] = asked["subject"]
        message["Message-ID"] = asked["messageId"]
        message.set_content("Text: Grüße")
        message.add_alternative('<p>Grüße <img src="cid:dot@demo.test"></p>', subtype="html")
        html = message.get_payload()[1]
        html.add_related(b"\x89PNG\x00\xff", "image", "png", cid="<dot@demo.test>")
        message.add_attachment(b"%PDF \x00\xff", maintype="application", subtype="pdf", filename="Rechnung März.pdf")
        raw = message.as_bytes(policy=message.policy.clone(linesep="\r\n"))
        for _ in range(asked["times"]):
            client.sendmail("hello@demo.test", asked["to"], raw)
    code, reply = client.noop()
    print(json.dumps({"code": code}))
except smtplib.SMTPResponseException as error:
    print(json.dumps({"code": error.smtp_code, "reply": error.smtp_error.decode()}))
except smtplib.SMTPRecipientsRefused as error:
    print(json.dumps({"code": max(code for code, _ in error.recipients.values())}))
