import { expect } from "vitest"
import { putIntoCampaign } from "./campaign.ts"
import { acceptForLater } from "./mail.ts"
import { makeTeam } from "./team.ts"

export const OLD_ADDRESS = "reader@example.com"
export const NEW_ADDRESS = "reader@example.org"

/** A campaign's email to a contact that then gets a new address. */
export async function makeOldMail() {
  const team = await makeTeam()
  const { api } = team
  const emailId = await acceptForLater(team)
  await putIntoCampaign(team, emailId)
  const [book] = (await api.get("/contact-books")).body.data
  const contacts = `/contact-books/${book.id}/contacts`
  const [contact] = (await api.get(contacts)).body.data
  expect(contact.email).toBe(OLD_ADDRESS)
  const path = `${contacts}/${contact.id}`
  await api.patch(path, { email: NEW_ADDRESS })
  return { team, api, emailId, book, contacts, path }
}
