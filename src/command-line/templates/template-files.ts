import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import type { Template } from "../../client/index.ts"
import { readJson } from "../../lib/json.ts"
import { UsageError } from "../terminal/failure.ts"
import { readBytes } from "../terminal/files.ts"

/** The content of a template's files. The slug is the name of the folder. */
export type Content = Pick<
  Template,
  "name" | "subject" | "bodyHtml" | "bodyText" | "variablesSchema"
>

const MANIFEST = "template.json"
const HTML = "body.html"
const TEXT = "body.txt"

/** A manifest with name, subject and variables, and one file for each body. */
export function toFiles({ name, subject, bodyHtml, bodyText, variablesSchema }: Content) {
  const manifest = { name, subject, variables: variablesSchema.variables }
  return {
    [MANIFEST]: `${JSON.stringify(manifest, null, 2)}\n`,
    [HTML]: bodyHtml,
    ...(bodyText !== null && { [TEXT]: bodyText }),
  }
}

export const isSame = (a: Content, b: Content): boolean => isDeepStrictEqual(parts(a), parts(b))

/** Names and subjects are trimmed, as the service does. */
const parts = ({ name, subject, bodyHtml, bodyText, variablesSchema }: Content) => ({
  name: name.trim(),
  subject: subject.trim(),
  bodyHtml,
  bodyText,
  variables: variablesSchema.variables,
})

export function slugsIn(folder: string): string[] {
  const slugs = existsSync(folder)
    ? readdirSync(folder).filter((name) => existsSync(join(folder, name, MANIFEST)))
    : []
  if (slugs.length > 0) return slugs.sort()
  throw new UsageError(`${folder} has no template: run edgepost templates pull.`)
}

export function readTemplate(folder: string, slug: string): Content {
  const { name, subject, variables = [], ...others } = readManifest(join(folder, slug, MANIFEST))
  const [unknown] = Object.keys(others)
  if (unknown) throw new UsageError(`${slug}/${MANIFEST} has an unknown member: ${unknown}.`)
  const text = join(folder, slug, TEXT)
  return {
    name,
    subject,
    bodyHtml: readText(join(folder, slug, HTML)),
    bodyText: existsSync(text) ? readText(text) : null,
    variablesSchema: { variables },
  }
}

export const readTemplateIfAny = (folder: string, slug: string): Content | null =>
  existsSync(join(folder, slug, MANIFEST)) ? readTemplate(folder, slug) : null

export function writeTemplate(folder: string, slug: string, content: Content): void {
  const files = toFiles(content)
  mkdirSync(join(folder, slug), { recursive: true })
  if (content.bodyText === null) rmSync(join(folder, slug, TEXT), { force: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, slug, file), text)
}

interface Manifest {
  name: string
  subject: string
  variables?: Content["variablesSchema"]["variables"]
}

function readManifest(file: string): Manifest {
  const { name, subject, ...rest } = (readJson(readText(file)) ?? {}) as Partial<Manifest>
  if (typeof name === "string" && typeof subject === "string") return { name, subject, ...rest }
  throw new UsageError(`${file} must be a JSON object with name and subject.`)
}

const readText = (file: string) => readBytes(file).toString("utf8")
