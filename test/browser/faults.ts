import AxeBuilder from "@axe-core/playwright"
import type { Page } from "playwright-core"

/** What axe finds, by these rules alone if any are given. The frames of previews run no script, so axe cannot look into them. */
export async function faultsOf(page: Page, rules?: string[]) {
  const axe = new AxeBuilder({ page }).exclude("iframe")
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)
}
