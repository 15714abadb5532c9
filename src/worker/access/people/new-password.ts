import { invalid } from "../../platform/http/errors.ts"

/** Refuses a password that attackers try first. The list is loaded on first use. */
export async function refuseGuessable(
  password: string,
  email: string,
  field = "password",
): Promise<void> {
  const { default: common } = await import("./common-passwords.txt")
  const lower = password.trim().toLowerCase()
  if (common.split("\n").includes(lower)) {
    throw invalid([field], "Is one of the most common passwords")
  }
  const own = [email, email.slice(0, email.lastIndexOf("@"))]
  if (own.includes(lower)) throw invalid([field], "May not be the person's own address")
}
