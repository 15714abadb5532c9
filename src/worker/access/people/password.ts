import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"

interface Cost {
  logN: number
  r: number
  p: number
}

/**
 * One of the costs that OWASP lists as equally strong. It needs 16 MiB, and a Worker has 128 MiB for
 * all its requests.
 */
const COST: Cost = { logN: 14, r: 8, p: 5 }
const PREFIX = `scrypt:${COST.logN}:${COST.r}:${COST.p}:`
const KEY_BYTES = 64

/** `scrypt:logN:r:p:salt:key`: a later cost can replace this one. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16).toString("hex")
  const key = await derive(password, salt, COST)
  return `${PREFIX}${salt}:${key.toString("hex")}`
}

export async function verifyPassword({
  hash,
  password,
}: {
  hash: string
  password: string
}): Promise<boolean> {
  const [key = "", salt = "", p, r, logN] = hash.split(":").reverse()
  const cost = { logN: Number(logN), r: Number(r), p: Number(p) }
  const expected = Buffer.from(key, "hex")
  return (
    expected.length === KEY_BYTES && timingSafeEqual(await derive(password, salt, cost), expected)
  )
}

function derive(password: string, salt: string, { logN, r, p }: Cost): Promise<Buffer> {
  const N = 2 ** logN
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, key: Buffer) => (error ? reject(error) : resolve(key))
    scrypt(password.normalize("NFKC"), salt, KEY_BYTES, { N, r, p, maxmem: 256 * N * r }, done)
  })
}
