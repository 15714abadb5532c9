import { API_PREFIX, endpoints } from "../worker/contract.ts"
import { type Article, code, prose, type Section } from "./blocks.ts"
import { callArticle } from "./calls.ts"
import { exampleOf, pretty } from "./example.ts"
import { GUIDES } from "./guides.ts"
import { schemaBlocks } from "./members.ts"
import { type Chapter, type Reference, readReference } from "./reference.ts"
import { startSections } from "./start.ts"
import { INTRODUCTIONS } from "./tags.ts"
import { slug } from "./text.ts"

export interface Group {
  title: string
  sections: readonly Section[]
}

/** The whole reference, made from the contract. */
export function readContents(origin: string): Group[] {
  const apiUrl = origin + API_PREFIX
  const { chapters, schemas } = readReference(endpoints, apiUrl)
  return [
    { title: "Start", sections: startSections(apiUrl, schemas) },
    { title: "API", sections: chapters.map((one) => chapterSection(one, schemas)) },
    { title: "Guides", sections: GUIDES },
  ]
}

type Schemas = Reference["schemas"]

function chapterSection({ tag, calls, schemas: names }: Chapter, schemas: Schemas): Section {
  const bodies = new Set(calls.flatMap(({ operation }) => bodyName(operation.requestBody) ?? []))
  const introduction = INTRODUCTIONS[tag]
  return {
    id: slug(tag),
    title: tag,
    body: [
      ...(introduction ? [prose(introduction)] : []),
      ...calls.map((call) => callArticle(call, schemas)),
      ...names.filter((name) => !bodies.has(name)).map((name) => schemaArticle(name, schemas)),
    ],
  }
}

const bodyName = (body: object | undefined) =>
  /"schema":\{"\$ref":"[^"]*\/([^"/]+)"/.exec(JSON.stringify(body ?? ""))?.[1]

function schemaArticle(name: string, schemas: Schemas): Article {
  const schema = schemas[name] ?? {}
  const example = code(pretty(exampleOf(schema, schemas)), `Example: ${name}`, "json")
  return {
    kind: "article",
    id: `schema-${name}`,
    title: name,
    intro: [],
    body: schemaBlocks(schema, true),
    examples:
      schema.example === undefined
        ? []
        : [{ name: "Example", choices: [{ name: "JSON", code: example }] }],
  }
}
