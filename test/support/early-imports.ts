import { resolve } from "node:path"
import type { Plugin } from "vite"

const WORKER = resolve("src/worker")
const LATE_IMPORT = /\bimport\(("[^"]+")\)/g

/**
 * Loads at the start what the Worker loads late. The loader of the tests shares its promise of a module
 * between requests that load it at the same time, which workerd refuses or never answers.
 */
export const earlyImports = (): Plugin => ({
  name: "early-imports",
  transform(code, id) {
    if (!id.startsWith(WORKER)) return null
    const modules: string[] = []
    const changed = code.replace(
      LATE_IMPORT,
      (_, module) => `Promise.resolve(late${modules.push(module)})`,
    )
    const imports = modules.map((module, index) => `import * as late${index + 1} from ${module};`)
    return imports.length > 0 ? imports.join(" ") + changed : null
  },
})
