import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./command.ts"
import type { Snippet } from "./snippets.ts"

const CLIENT = 'import { Edgepost } from "edgepost"\nconst edgepost = new Edgepost()\n'

/** What the text around a component names. */
const AROUND_REACT = `const from = "hello@demo.test"
const to = "success@simulator.amazonses.com"
const Welcome = ({ name }) => <p>Hi {name}</p>
`

/** The code as a whole file: what a document has said further up stands above. */
export function wholeCode({ text, language }: Pick<Snippet, "text" | "language">): string {
  const needsClient = text.includes("edgepost.") && !text.includes("import { Edgepost }")
  return [
    needsClient ? CLIENT : "",
    language === "jsx" ? AROUND_REACT : "",
    text
      .replaceAll("hello@example.com", "hello@demo.test")
      .replaceAll('from "../', 'from "../../src/worker/'),
    "\nexport {}\n",
  ].join("")
}

/** A folder inside the project, where `edgepost` is found. */
export function makeCodeFolder(): string {
  mkdirSync(join(root, "dist"), { recursive: true })
  return mkdtempSync(join(root, "dist/snippets-"))
}

export function writeCode(folder: string, name: string, language: string, code: string): string {
  const file = join(folder, `${name}.${language}`)
  writeFileSync(file, code)
  return file
}

const ENVIRONMENT = `declare namespace NodeJS {
  interface ProcessEnv {
    SVC_API_KEY: string
    SVC_BASE_URL: string
    WEBHOOK_SECRET: string
  }
}
`

/** What the compiler says of the files. Those in JavaScript take their variables as set. */
export function complaintsAbout(folder: string): string {
  writeFileSync(join(folder, "environment.d.ts"), ENVIRONMENT)
  return complaintsOf(folder, "ts", []) + complaintsOf(folder, "js", ["environment.d.ts"])
}

function complaintsOf(folder: string, language: "ts" | "js", files: string[]): string {
  const config = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: { allowJs: true, checkJs: true, noImplicitAny: language === "ts" },
    files,
    include: [`./*.${language}`, `./*.${language}x`],
    exclude: ["./*.d.ts"],
  }
  const file = join(folder, `tsconfig.${language}.json`)
  writeFileSync(file, JSON.stringify(config))
  const tsc = join(root, "node_modules/typescript/bin/tsc")
  try {
    return execFileSync(process.execPath, [tsc, "-p", file], { encoding: "utf8" })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

export const removeCodeFolder = (folder: string) => rmSync(folder, { recursive: true, force: true })
