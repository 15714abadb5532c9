import { createSign } from "node:crypto"

/** A topic that the tests' settings allow. */
export const TOPIC = "arn:aws:sns:us-east-1:123456789012:edgepost-test"
export const SNS_HOST = "sns.us-east-1.amazonaws.com"

export interface Signer {
  certificateUrl: string
  certificate: string
  key: string
}

const certificateAt = (name: string) => `https://${SNS_HOST}/SimpleNotificationService-${name}.pem`

/** Signs the fields that Amazon names, as SNS does. */
export function signSns(
  signer: Signer,
  fields: Record<string, string>,
  version: "1" | "2" = "2",
): Record<string, string> {
  const message: Record<string, string> = {
    Type: "Notification",
    MessageId: crypto.randomUUID(),
    TopicArn: TOPIC,
    Timestamp: new Date().toISOString(),
    Message: "{}",
    ...fields,
  }
  const names =
    message.Type === "Notification"
      ? ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
      : ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
  const text = names.map((name) => (name in message ? `${name}\n${message[name]}\n` : "")).join("")
  const signature = createSign(version === "1" ? "RSA-SHA1" : "RSA-SHA256")
    .update(text)
    .sign(signer.key, "base64")
  return {
    ...message,
    SignatureVersion: version,
    Signature: signature,
    SigningCertURL: signer.certificateUrl,
  }
}

/** Plays Amazon's certificate; the keys were made for these tests. */
export const SNS: Signer = {
  certificateUrl: certificateAt("good"),
  certificate: `-----BEGIN CERTIFICATE-----
MIIDGzCCAgOgAwIBAgIUCYYLoyyEDsG8oT2JozAczt2oOr4wDQYJKoZIhvcNAQEL
BQAwHDEaMBgGA1UEAwwRc25zLmFtYXpvbmF3cy5jb20wIBcNMjYxMTIxMDM1MjIz
WhgPMjEyNjEwMjgwMzUyMjNaMBwxGjAYBgNVBAMMEXNucy5hbWF6b25hd3MuY29t
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA5bVZmXYX8nT8PWVVUO4V
sDLLUqfzgmQn0W5ZZeR/abbwojDSFyOC6zcHEe4yJgTjE8b8jcze0JnzHOlOvccF
IeC2qEu3Lu4qnpEmqriEaqZLXHPW9ahj5jSuf0TGYAnGgZ/WNf/lyV3OZ3aBWOoN
zlKWFvfo1ZPNvz05Xu+r0ST9Ydex77o9fiqsw+Aa5cRKkS9k+EZiuWa5uQAOUQSQ
tUR2bLA/lgZfFWlamituaDW5/m6RKXW/xHwwCaVWer10ebHo6n9qTsU2gN4QswbV
i5svxfrY+yDTXm+9dNQNI/qHhN2fN5JklKtPeMX+fZNoTQzmFGPry5QaYUHuVJ0h
ewIDAQABo1MwUTAdBgNVHQ4EFgQUEol6evNBf/b8LEucqDLb+FJnckcwHwYDVR0j
BBgwFoAUEol6evNBf/b8LEucqDLb+FJnckcwDwYDVR0TAQH/BAUwAwEB/zANBgkq
hkiG9w0BAQsFAAOCAQEAKJskLamGhUDBlinMmtljPrnRd/nKTYB+KgfXG2nrR/Gd
5B2ItcDyZQneB2lsXHk3B8dKHhxxioE9XWcbYVOW5ZLf1ZFl/qivb7htJBTMjLos
56P8d8jNKrCn0Gr4+KTxg6kWXIhQjoztQ5bVrI81W0DWyu1OIa+3B3wT1VB1W1Ti
Il1iBlbGlwBiaYlVLc/o8j1zHCw7mPuY69BE7Hfn1LidHNetY97f575KvxKIfm4K
/mPiDcmg3AL1u4JztWIszwUmxxakYuakadasAYs3mEAux2JaYnEbceopBhSpqKHl
XFXx0acT4ddrtZk44QWoV70xFe3Eluv02yEZKnr+Lg==
-----END CERTIFICATE-----`,
  key: `-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDltVmZdhfydPw9
ZVVQ7hWwMstSp/OCZCfRblll5H9ptvCiMNIXI4LrNwcR7jImBOMTxvyNzN7QmfMc
6U69xwUh4LaoS7cu7iqekSaquIRqpktcc9b1qGPmNK5/RMZgCcaBn9Y1/+XJXc5n
doFY6g3OUpYW9+jVk82/PTle76vRJP1h17Hvuj1+KqzD4BrlxEqRL2T4RmK5Zrm5
AA5RBJC1RHZssD+WBl8VaVqaK25oNbn+bpEpdb/EfDAJpVZ6vXR5sejqf2pOxTaA
3hCzBtWLmy/F+tj7INNeb7101A0j+oeE3Z83kmSUq094xf59k2hNDOYUY+vLlBph
Qe5UnSF7AgMBAAECggEAPH3J5yZYvxI8nMRzN7lC/+AYeB9feo56h+X55+HJBeNV
sjiOEubYoq2ekIO8NBPkYsBroMH7SU7JXWs5P7PJ77Z4E5DA4Dx6/7/0wU+PG3DI
dsPQr2eVSznDXCOV5BOe8WLQq+7EKgeog8mK3YnhcdyAxvKpH5lpPLvYQF54Tj5i
MkMd5FFstWCWnsiCvs68iqFWtG11B4c/JDlsidZ/vcvEHSWOf2Vzs4vMvhrneKuW
BUm7u5NLGyxplfDqMDIy97FT87H2XkRR/GplhIDuv35h7XWnJS0u+c24EtMAIMoG
GdPaPGclVTDa3Cs/eIP1S0XI/OYJVIozqPGUmuV1IQKBgQD40+56TzS9ycPXAYHd
2xBf020OxMveZw17Pbkge7HExYuafe87ZVeSNgditQ5Z1tMhmgRsrawsRw8CD/nt
bazIvRxSLpCbulrTCa6dcruHCeycNJsvyCVCwn1xJ6WBdijwxmGOv6Ja+wmLc4yq
EQVq9rOqQ2++XXYQ//8FfCdbIQKBgQDsVFaj2f7mvzfZxCGfMj28MGKPjMtypeZ7
5EfjqUSfTHl0pHdndII5kDt6qLmk9hZdQP0vNflnQA21dQXmGAdQ6B991/JdsfXt
xHnRWtqXorxm93CyBSK1Jq/D5sliKAcb4d694Wdpg7SeN6uYhu/Jxf9XFZ/D7WiX
1iTbS7LlGwKBgCyODlq6ShBdy4J5U569Nh5ihlmppXOqckCKGdcWLwuz7753JFo3
WEnnAMWM9AfkLqQKpxYqtvSquKY+5Bq+k7zSF/sjOWOZJ+A4EJtCyw9wGH0T8mHI
7dsZZkrXtYwL82LBswBTkifGYbwlsZ9WMuknSZ6IOr8UjyqWHD0IMSfhAoGACavh
586yCctlg7ntDlDGCf+I6QsAAG8doZBUCNMShdphVg6s/ETeV3C5nmltP3z6qVJR
ii8RR9JtPTHOzf3Jvtvg/gtqVb9EqzhRK+ol6/Ky9xvFNuPS6crtgnzdXPD6aX+y
195zlvPW3mq00QckpQM/UdcGtMPwddZDp93PMmUCgYEApaAx0JuUO8n+Lh/6ViIU
uYctYDmigePCpwIEmzZTKlREBj1FDUhQppkX3ZeTZ4AZ5FFnex+sYhURgmaFTtcO
VLtctlMJ8nxaQ4VN2BLNFH+34bwBogOsyN2CPSphvyFJBWeTXM1POTaZLPONzcD0
Tkona1TelPRMBppOh4IAvSc=
-----END PRIVATE KEY-----`,
}

export const EXPIRED: Signer = {
  certificateUrl: certificateAt("expired"),
  certificate: `-----BEGIN CERTIFICATE-----
MIICvzCCAacCFFr5mt8rLhlJfQSGi84FfvGWMqPwMA0GCSqGSIb3DQEBCwUAMBwx
GjAYBgNVBAMMEXNucy5hbWF6b25hd3MuY29tMB4XDTI2MTEyMTAzNTM0OFoXDTI2
MTEyMDAzNTM0OFowHDEaMBgGA1UEAwwRc25zLmFtYXpvbmF3cy5jb20wggEiMA0G
CSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQC+hgdXa5L0RjeiVRdDKNfOIhcFz2ah
12Vp8HaBFpWFNXr2NZmrvfoVb/fkzQsn5MVCCjlWMrrDDOZ9I9qm1FMUs11vepMI
W538Rg36XnPPXYzKE69PnnYOcedF+QnEuJ6N5R7vXzsdy/ZZFI4n7z3BgZutKmnb
IOiUBZt1bPOifhJyXlIT/UBSL1+gR/EZvQ8psKVf3ODoOadKwGC9bopAGmDA8S0Q
kPKnaDfGJYDIm76Zt6/IyJ3FhaKu+hTEkro/SoeLWEuH8R/dtmsQVuD3nZ0zjBov
UJe2S0EGKOesYmEjpvY8FOzRRXz9kM2t2Pf+E/ToPDkmHV0KRXj7q4jvAgMBAAEw
DQYJKoZIhvcNAQELBQADggEBAFOIgwP+JY9oIo8wMTrBeXNZCVldMGNKcA4KzyWJ
EEqFNPKa6IQNHM/ykS3VaUT9a+helXEsTqRx0y/dOj2P9hfq5LtmR0pScop6MU8i
w/363m3Gli+CltxacJURu6X4gvPF0l6uH6BxRE2GCGNMbZB97Pnr1JRsyfs0ypq6
NZxhiWNKPhhw+/MX0gpfGBbqp3VbSUa8n6/B06OiMvwjsJqnrsIUgcfirrPYPXuT
Sgj+NgjiKw8g1J/s3p8r6VOMlO3EsA3+YHY/eJ/krHEWEZUmYb/e6vgFYoE2/1fw
FLxfahyW31Ai9uXNIPM4ywNZdnu4vcM8TeE3raKhaK4f/10=
-----END CERTIFICATE-----`,
  key: `-----BEGIN PRIVATE KEY-----
MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQC+hgdXa5L0Rjei
VRdDKNfOIhcFz2ah12Vp8HaBFpWFNXr2NZmrvfoVb/fkzQsn5MVCCjlWMrrDDOZ9
I9qm1FMUs11vepMIW538Rg36XnPPXYzKE69PnnYOcedF+QnEuJ6N5R7vXzsdy/ZZ
FI4n7z3BgZutKmnbIOiUBZt1bPOifhJyXlIT/UBSL1+gR/EZvQ8psKVf3ODoOadK
wGC9bopAGmDA8S0QkPKnaDfGJYDIm76Zt6/IyJ3FhaKu+hTEkro/SoeLWEuH8R/d
tmsQVuD3nZ0zjBovUJe2S0EGKOesYmEjpvY8FOzRRXz9kM2t2Pf+E/ToPDkmHV0K
RXj7q4jvAgMBAAECggEAJ6hLV+mG5bzF8M7IcEzMmtYit61jnhVxQRtx903Forwu
k5g1m/eH2jV7wo7hnxSx8JyjMauOj3IcefjgFvDEOF9beAxqFYfIe03zs+U8MvI0
j42IZMjFpx0TeE+ttlp9emiyRz4p1npxlTo/mtVkI+bACkv1S8zuTH1cThV3Ix/B
8jaEZXb3mlEVPTmHSbvDqAcgieA251qH3Ikfy5daRTceQjkYIwUz+MqGl5ugq4HL
WIsLek+Oq12RXK4+MJrt2TjA6P1jfoBSsvak2+5OuxAmJvaWH15JbMqLwZfQCE03
gqMjuNLmzHrOJTIxKJjZg/totlFpimIBiY8/bjAZHQKBgQDfI/+PJZr9f+woXTXV
ggbn6ORpVXtHfCRgCKeaGwbx4panM7hDua8kGnxHfUkIf8ABZMyhDsF9kuEDFcN9
gMwIr5LifEJ5Bd1sVntD8OJd1o3xVCQQmcQeJ9crwjSuImAt3FBTm6iunAQWwrla
sAsaUOUMnhuRNLhkCkh/+Po5lQKBgQDalGzhig/bafTH/bSh/d/FA//IwmOchthU
s/YbwQ58dWWO+71WmCxDG5xozI8I+FBwmxpBGRjZ02ZaSj4qXfGHSZ0zW+PUSwBb
4AIA5QOLsGGl0+0lGxKJF+0f5NhkXI+4YZIi53XPvh2qgGIPPkju12Y8bug4GZAP
vlHVfLg/cwKBgQC+QcxZ+l9ve84ZEHihRk+rFvkCEv+dEO1W8KovDJJcVa3MfJ3F
KSJ7LxX+QoWt+Hb2+UI8pP83ma+/WKQpc1MEqOcds4Nd+zEzeX16jX4FMrYuKWbi
vKjqaV/ekKUoQGkvUSUwVI1768zUt00hVO7yjjzuCDVLFt+NdPMiImEADQKBgEp5
rCek3QZLseW6oiNX1zjPxgVnhn08zNT/hGmse/0YGwR+7eJlcx9idwaWPF44DWBw
2J85p+gASa2WAlx5KeSIxpFLS/N3oqWrS8N2RKEB9iOEdBbihIxFpLvrQ3feufF+
/UX7S37/Lih8Ge1LsZn/tov81g7XVuimVkfBeR3VAoGBALOO0u4lNK4YZk/vfKwr
lzSMKdpb/KjMAcmGgs/r6017Kp9nsaSVhA3YZq6kbX4BBlqTHEBi/9C42eLKamDW
Kazm0kSrXUiIWcLrO7qDeawSVQsUHp6GDz+f9XVATEfpRn0PpWiI2Vg/q79aDEy5
PMkxqQuwavpWRmqqGHkqEDae
-----END PRIVATE KEY-----`,
}

/** Signs with a key of its own, and names Amazon's certificate. */
export const STRANGER: Signer = {
  certificateUrl: certificateAt("good"),
  certificate: `-----BEGIN CERTIFICATE-----
MIIDGzCCAgOgAwIBAgIUbWQgmy/yK6rJu0U1mMqU3AMP3fYwDQYJKoZIhvcNAQEL
BQAwHDEaMBgGA1UEAwwRc25zLmFtYXpvbmF3cy5jb20wIBcNMjYxMTIxMDM1MjIz
WhgPMjEyNjEwMjgwMzUyMjNaMBwxGjAYBgNVBAMMEXNucy5hbWF6b25hd3MuY29t
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxiAhKwc+RlWf5UiGcc6y
ASo6zqv3FUCv/1kdmmpjrgkCerOfmcfnJuaygUklXSN6XwqiTr9sYdvny87aoACO
44EYqBmW6UFLKya01olVxBp7rX0LH42FfqoBnHw6h6Gme3gx4+rmmrMJsmCHEKM6
kpMI4MVoDGPQRHix0WN+L8BPOhMAH7TUM6vjgO17Ix/DAO6+qU4sOmIT/3zadXMy
VLNvqjWwzXsJtLpSGZm57luGOLmT0GFJY8BVe/oq6lxqMsSbCRWEBD0Y1H40iFS6
kr1ySR+qrND3SU318sK7qNymL+7g1Pi9WwskK+IENPhTj5wQTXlLyfj37CBwK/ex
jwIDAQABo1MwUTAdBgNVHQ4EFgQUseCHMLaVkNXEl10dks0uA7iaZVkwHwYDVR0j
BBgwFoAUseCHMLaVkNXEl10dks0uA7iaZVkwDwYDVR0TAQH/BAUwAwEB/zANBgkq
hkiG9w0BAQsFAAOCAQEAwv74OU7OiXr+74XJDIkpA16HPIxRXePGiRHBD0kS/W5p
GaGBLkte5Ibo90xLsxwVwTajLMeC/mn0DWCwfinxJMXWRUN5QnCahN9QxDuoZgll
KcLsiooIoVZ73xBcNDiAFBY+/LwTOqTk0YatCYyiGrGVacqdDVEbUoBJAo3Wrmuv
qlMGD8UNCghs1TjIWvf4ceCDOfNKqK144ZGyZioyEgVMFXCq6VoCndg9iSNJTDR1
zdiYg/deFEMijOyLd3ykykpKxcrq5OCkUOq59yP/WYH4YDWMJywZCVd7ssMWNeMU
uSbxig6p+5+v3y+3k4xcHxfPjd3PfF7MyyqrLjne1A==
-----END CERTIFICATE-----`,
  key: `-----BEGIN PRIVATE KEY-----
MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQDGICErBz5GVZ/l
SIZxzrIBKjrOq/cVQK//WR2aamOuCQJ6s5+Zx+cm5rKBSSVdI3pfCqJOv2xh2+fL
ztqgAI7jgRioGZbpQUsrJrTWiVXEGnutfQsfjYV+qgGcfDqHoaZ7eDHj6uaaswmy
YIcQozqSkwjgxWgMY9BEeLHRY34vwE86EwAftNQzq+OA7XsjH8MA7r6pTiw6YhP/
fNp1czJUs2+qNbDNewm0ulIZmbnuW4Y4uZPQYUljwFV7+irqXGoyxJsJFYQEPRjU
fjSIVLqSvXJJH6qs0PdJTfXywruo3KYv7uDU+L1bCyQr4gQ0+FOPnBBNeUvJ+Pfs
IHAr97GPAgMBAAECggEAChGG7ftbwFJIomvJnU3+QM3nGCqoD1Xuu8DJHthKQYVm
sVqggT2l8xWlO6m+ctnDNcJCFlNnDCATSwmzlY8Bs/ETEjPetfLiAYrhhMeM6r7X
yyzAHHXiM1orY8ryZIMkBUFJ88Wzu2fe1chPBNrutpUvTdDqZTrLUjd5/eSa/I0n
4EI+NBUHaR5D4o/Y5ieUbhkrdO7VeYPuG244QpFjJx/Cno4iYgD3OknBgp0A9FKP
Kob7vwr0RexP6UUXJ5hCwOM9dos5vnh9E109MuSMzQ9XlISf9X5dCdN5M3nHU4Er
jspcv8HUUhA9TuwYq+3oifx9HauBCgcXL2KscmXobQKBgQD1TmW/orkw4GgeESTR
D1ZtN/hd93uaZzJ7/lUF+w9FhQLN31u9+TQ+ZmgQQjD9exMrbGKvnn73O02jXNNr
UoOHH6PPKWszmDCVr1sb5BVAz1hElYpGreDTef/7YayFBFtP1TVgT4n4LDI9p7tA
mAXJCLqh3PfqeLIcazZk/dM3ywKBgQDOwzKxarWnFJFKKG9Zj4qRazerqzpr+viW
Uv32UK33w4N0dL4gyLhOdQY25e+DqQKtWEy5YPyzK+aBky3w7Sya4wLKvMEBd15e
zJBk1+u3SRdrIK2a3lxdIwKSYTODracI9DsYDVMXvp6H9ZyrF0+Wy4Tqhr+p1mXH
hTrD4dOMzQKBgA0YyW/o1TBZ2tU4HxoWUov0QAtsSiodNmHOW2W9WLxidJrfQPus
kXB/cTDlB86Qwp4/5CjyMl8qyGNfcl45gpI1Sz6lPHb9uiJTwW6Ex+m06EaJIV/S
qr0/tz4JofdcGy/w9y+UL46TdX87NFEnjK+GCsjXjljzZrcDtly//IXvAoGAN8AM
QChcuKNkFZHXjFeW7mTxitlNlGYEd0wDbFIOxnqyTElaJq7Ye1c0iMLxFRgSP7lK
XsXW/Vy993w+6/KXj1/cldvVUtbj3D3eRUKvLSmJJfqWtOZ2Eyroe5237S56loB8
Gp0lJYbhahmA1+UeMbPIsBALR/kmUmkLElwm1ZUCgYABKiSLbS8sNvIR1VkxuGku
y2aaKhS3ssgSrnSRQEXIju/3oR17AzUnm/3kLQqOLhajTaxxF1ZEVb5jW9lTNgFK
NZALbkwUY8pfd5y8+/YsmKIlDnrqgEq+oPo9mHNZT60g/PEyI5DJ2DbfyG1AVtUe
ss5s9Ot3LvL1N1A1pXJ/Tw==
-----END PRIVATE KEY-----`,
}
