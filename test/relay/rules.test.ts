import { X509Certificate } from "node:crypto"
import { expect, it } from "vitest"
import { makeCertificate } from "../../src/relay/certificate.ts"
import { clientOf } from "../../src/relay/clients.ts"
import { createSlots } from "../../src/relay/slots.ts"

it("makes a certificate for its name and this machine", () => {
  const { cert } = makeCertificate("relay.example.com")
  const certificate = new X509Certificate(cert)
  expect(certificate.verify(certificate.publicKey)).toBe(true)
  expect(certificate.checkHost("relay.example.com")).toBe("relay.example.com")
  expect(certificate.checkHost("localhost")).toBe("localhost")
  expect(certificate.checkIP("::1")).toBe("::1")
  expect(Date.parse(certificate.validTo)).toBeGreaterThan(Date.now() + 300 * 86_400_000)
})

it("counts an IPv6 network as one client", () => {
  expect(clientOf("::ffff:192.0.2.1")).toBe("192.0.2.1")
  expect(clientOf("2001:db8::1")).toBe(clientOf("2001:db8:0:0:ffff::2"))
  expect(clientOf("2001:db8:0:1::1")).not.toBe(clientOf("2001:db8::1"))
})

it("gives one team at most half of the slots, and the rest to others", async () => {
  const slots = createSlots(4)
  const first = await slots.take("a", 1_000)
  await slots.take("a", 1_000)
  const third = slots.take("a", 1_000)
  for (let taken = 0; taken < 2; taken++) {
    expect(await slots.take("b", 10)).toBeTypeOf("function")
  }
  expect(await slots.take("a", 10)).toBeNull()
  first?.()
  expect(await third).toBeTypeOf("function")
})
