import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import sparticuz, { inflate } from "@sparticuz/chromium"
import { type Browser, chromium } from "playwright-core"

/**
 * A headless Chromium. On Linux x64 `npm ci` has brought one, with the libraries that it needs;
 * elsewhere the system's Chrome is used.
 */
export async function launchChromium(): Promise<Browser> {
  return BRINGS_CHROMIUM ? launchOurs() : launchSystems()
}

const BRINGS_CHROMIUM = process.platform === "linux" && process.arch === "x64"

const LIBRARIES = join(tmpdir(), "al2023")

/** The package's flags for a tiny machine. We want a process for each page, as in a browser. */
const FOR_TINY_MACHINES = /^--(single-process|no-zygote|window-size)/
/** Its flags for an emulated graphics card, which takes more CPU than drawing without one. */
const GRAPHICS = /^--(ignore-gpu|in-process-gpu|use-gl|use-angle|enable-unsafe-swiftshader)/

/** Unpacks the Chromium of the package, unless it is there. Two processes must not do it at once. */
export async function unpackChromium(): Promise<void> {
  if (!BRINGS_CHROMIUM) return
  const bin = join(dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")), "../bin")
  if (!existsSync(LIBRARIES)) await inflate(join(bin, "al2023.tar.br"))
  await sparticuz.executablePath()
}

async function launchOurs() {
  await unpackChromium()
  const flags = sparticuz.args.filter(
    (flag) => !FOR_TINY_MACHINES.test(flag) && !GRAPHICS.test(flag),
  )
  return chromium.launch({
    executablePath: await sparticuz.executablePath(),
    args: [...flags, "--disable-gpu"],
    env: { ...process.env, LD_LIBRARY_PATH: join(LIBRARIES, "lib") } as Record<string, string>,
  })
}

async function launchSystems() {
  try {
    return await chromium.launch({ channel: "chrome" })
  } catch (cause) {
    throw new Error(
      "The browser tests need Google Chrome on this platform. Install it, or run the tests on Linux x64, where npm brings a Chromium.",
      { cause },
    )
  }
}
