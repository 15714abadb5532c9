import type { Trigger } from "./trial.ts"

/** In the sandbox, the first label of a domain's name decides about its check. */
export function addDomain(outcome: "verified" | "failed"): Trigger {
  return async ({ client, label, say }) => {
    const name = `${outcome}.${label}.test`
    const { id } = await client.domains.create({ name })
    say(`Added the domain ${name} and checked it.`)
    const { status } = await client.domains.verify(id)
    await client.domains.remove(id)
    say(`Removed it again.`)
    if (status !== outcome) throw new Error(`The domain is ${status}.`)
    return { domainId: id }
  }
}
