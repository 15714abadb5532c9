import { Edgepost } from "edgepost"
// With this import, `react` in an email becomes its html and its text.
import "edgepost/react"
import { Welcome } from "./welcome.tsx"

export async function sendWelcome(to: string, name: string): Promise<string> {
  const edgepost = new Edgepost()
  const confirmUrl = `https://example.com/confirm?to=${encodeURIComponent(to)}`
  const { id } = await edgepost.emails.send({
    from: process.env.MAIL_FROM ?? "Acme <hello@demo.test>",
    to,
    subject: `Welcome, ${name}`,
    react: <Welcome name={name} confirmUrl={confirmUrl} />,
  })
  return id
}
