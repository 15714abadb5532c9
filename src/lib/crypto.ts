import { hash, randomBytes } from "node:crypto"

export const sha256Hex = (text: string) => hash("sha256", text, "hex")

export const randomBase64url = (bytes: number) => randomBytes(bytes).toString("base64url")
