import * as z from "zod"
import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { pageOf, pageQuery } from "../platform/http/page.ts"
import { timestamp } from "../platform/http/shapes.ts"
import {
  content,
  contentExample,
  slug,
  template,
  templateVersion,
  versionExample,
} from "./contract.ts"
import { design } from "./design-contract.ts"

const ofBlocks = design
  .nullish()
  .describe("The blocks that the bodies are rendered from; null for a template of HTML.")

/** The bodies of a template of blocks are rendered when it is saved, whatever is given. */
const draftContent = content.extend({ design: ofBlocks })

/** What the person has seen. Whoever changed something since is not overwritten. */
const seen = z.object({
  version: z.int().describe("The version that is published; 0 if none ever was."),
  revision: z.string().max(64).nullable().describe("The draft's; null without a draft."),
})

const revisionExample = "q8Zk3vXyLw2T"

const draftContentExample = { ...contentExample, design: null }

const draftExample = {
  ...draftContentExample,
  id: exampleId("template"),
  slug: "welcome",
  version: 1,
  revision: revisionExample,
  updatedAt: EXAMPLE_TIME,
  updatedBy: "Ada",
}

const draft = draftContent
  .extend({
    id: z.string().describe("The template's."),
    slug: z.string(),
    ...seen.shape,
    updatedAt: timestamp,
    updatedBy: z.string().nullable().describe("The name of the person who saved the draft."),
  })
  .meta({ id: "TemplateDraft", example: draftExample })
export type TemplateDraft = z.output<typeof draft>

const versionOfBlocksExample = { ...versionExample, snapshot: draftContentExample }

const versionOfBlocks = templateVersion.extend({ snapshot: draftContent }).meta({
  id: "TemplateVersionWithDesign",
  example: versionOfBlocksExample,
})

const inDashboard = { access: "session", tag: "Template drafts", dashboardRole: "member" } as const

const changedSince =
  "Somebody else saved the draft, or published a version, since it was read. `details` has what is there now."

export const createTemplateDraft = endpoint({
  ...inDashboard,
  name: "templates.createDraft",
  call: "POST /template-drafts",
  summary: "Create a template as a draft",
  description: "Calls with a key do not find the template until it is published.",
  example: () => ({ slug: "welcome", ...contentExample }),
  json: draftContent.extend({ slug }),
  status: 201,
  response: draft,
})

export const getTemplateDraft = endpoint({
  ...inDashboard,
  name: "templates.getDraft",
  call: "GET /templates/:slugOrId/draft",
  summary: "Read the draft of a template, and its versions; without a draft, what is published",
  description: "A template that was never published is found by its id only.",
  response: draft.extend({ versions: z.array(versionOfBlocks) }).meta({
    id: "TemplateDraftWithVersions",
    example: { ...draftExample, versions: [versionOfBlocksExample] },
  }),
})

export const listTemplateDrafts = endpoint({
  ...inDashboard,
  name: "templates.listDrafts",
  call: "GET /template-drafts",
  summary: "List the templates that have a draft, newest template first",
  query: pageQuery,
  response: pageOf(
    z
      .object({
        id: z.string().describe("The template's."),
        unpublished: z
          .object({ slug: z.string(), name: z.string(), subject: z.string() })
          .nullable()
          .describe("Of a template that was never published; null for all others."),
        updatedAt: timestamp,
        updatedBy: z.string().describe("The name of the person who saved the draft."),
      })
      .meta({
        id: "ListedTemplateDraft",
        example: {
          id: exampleId("template"),
          unpublished: { slug: "welcome", name: "Welcome", subject: "Hello {{ name }}" },
          updatedAt: EXAMPLE_TIME,
          updatedBy: "Ada",
        },
      }),
  ),
})

export const saveTemplateDraft = endpoint({
  ...inDashboard,
  name: "templates.saveDraft",
  call: "POST /templates/:slugOrId/draft",
  summary: "Save the draft of a template",
  description: "Calls with a key go on to read, render and send what is published.",
  example: () => ({ ...contentExample, version: 1, revision: null }),
  refuses: { conflict: changedSince },
  json: draftContent.extend({
    ...seen.shape,
    slug: slug.optional().describe("Changes it. Only until the template is published."),
  }),
  response: draft,
})

export const discardTemplateDraft = endpoint({
  ...inDashboard,
  name: "templates.discardDraft",
  call: "DELETE /templates/:slugOrId/draft",
  summary: "Discard the draft of a template",
  description: "A template that was never published is deleted by it.",
  refuses: { conflict: changedSince },
  query: z.object({ revision: z.string().max(64) }),
})

export const publishTemplate = endpoint({
  ...inDashboard,
  name: "templates.publish",
  call: "POST /templates/:slugOrId/publish",
  summary: "Publish the draft as the next version",
  example: () => ({ version: 1, revision: revisionExample }),
  exampleReply: () => ({ version: 2 }),
  refuses: {
    conflict: `${changedSince} Or emails that are accepted now would be refused: \`details.variables\` names the variables.`,
  },
  json: seen.extend({
    revision: z.string().max(64),
    confirmedVariables: z
      .array(z.string().max(300))
      .max(1_000)
      .default([])
      .describe(
        "Variables that emails must give from now on, or give with another type, as the person has confirmed.",
      ),
  }),
  response: template,
})
