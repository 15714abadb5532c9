import { invalid } from "../../platform/http/errors.ts"
import commonPasswords from "./common-passwords.txt"

/**
 * Refuses a password that attackers try first. The list is that of zxcvbn-ts (MIT): those of 10
 * characters or more, as shorter ones are refused for their length.
 */
export function refuseGuessable(password: string, email: string, field = "password"): void {
  const lower = password.trim().toLowerCase()
  if (commonPasswords.split("\n").includes(lower)) {
    throw invalid([field], "This password is too common.")
  }
  const own = [email, email.slice(0, email.lastIndexOf("@"))]
  if (own.includes(lower)) throw invalid([field], "May not be the person's own address")
}
