import type { VariablesSchema } from "../../../../worker/templates/contract.ts"
import type { Starter } from "../../blocks/starters/starter.ts"

/** A template to begin with. What the author has to replace is in brackets. */
export interface TemplateStarter extends Starter {
  /** Those that are not required. */
  variables: VariablesSchema["variables"]
  /** Values for its picture. */
  samples: Record<string, string>
}
