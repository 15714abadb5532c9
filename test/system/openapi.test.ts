import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Validator } from "@seriousme/openapi-schema-validator"
import { expect, it } from "vitest"
import { openApiText } from "../../src/reference/document.ts"
import { endpoints } from "../../src/worker/contract.ts"

const text = openApiText("https://mail.edgepost.test")

it("the OpenAPI document is valid 3.1 and has every endpoint", async () => {
  const validator = new Validator()
  const { valid, errors } = await validator.validate(JSON.parse(text))
  expect(errors).toBeUndefined()
  expect(valid).toBe(true)
  expect(validator.version).toBe("3.1")
  const operations = Object.values(JSON.parse(text).paths as Record<string, object>)
  expect(operations.flatMap(Object.keys)).toHaveLength(endpoints.length)
})

it("Redocly finds nothing to warn of", () => {
  const directory = mkdtempSync(join(tmpdir(), "edgepost-openapi-"))
  writeFileSync(join(directory, "openapi.json"), text)
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [resolve("node_modules/@redocly/cli/bin/cli.js"), "lint", "openapi.json", "--format=json"],
    {
      cwd: directory,
      encoding: "utf8",
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    },
  )
  rmSync(directory, { recursive: true })
  const { totals, problems } = JSON.parse(stdout || stderr)
  expect(problems).toEqual([])
  expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 })
})
