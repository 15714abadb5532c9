import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare"
import type { FakeAccount, Module, Script } from "./fake-account.ts"

/** Runs what was uploaded, with the bindings of its upload and an account's empty databases, bucket and queues. */
export function runUploaded(account: FakeAccount, name: string, assets: string) {
  const script = account.scripts.get(name) as Script
  const logged: string[] = []
  const of = (type: string) => script.bindings.filter((binding) => binding.type === type)
  const named = <T>(type: string, value: (binding: Record<string, unknown>) => T) =>
    Object.fromEntries(of(type).map((binding) => [binding.name, value(binding)]))
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      logRequests: false,
      log: new Log(LogLevel.ERROR),
      handleStructuredLogs: ({ message }) => void logged.push(message),
      name,
      modules: (script.modules ?? []).flatMap(toModule),
      modulesRoot: "/",
      compatibilityDate: script.compatibility?.date ?? "",
      compatibilityFlags: script.compatibility?.flags ?? [],
      bindings: named("plain_text", ({ text }) => String(text)),
      d1Databases: named("d1", ({ id }) => String(id)),
      r2Buckets: named("r2_bucket", ({ bucket_name }) => String(bucket_name)),
      queueProducers: named("queue", ({ queue_name }) => String(queue_name)),
      queueConsumers: account.queues.flatMap(({ queue_name, consumers }) =>
        consumers.some((consumer) => consumer.script === name) ? queue_name : [],
      ),
      durableObjects: named("durable_object_namespace", ({ class_name }) => ({
        className: String(class_name),
        useSQLite: true,
      })),
      ratelimits: named("ratelimit", ({ namespace_id, simple }) => ({
        namespace_id: String(namespace_id),
        simple: simple as { limit: number; period: 10 | 60 },
      })),
      email: { send_email: of("send_email").map((binding) => ({ name: binding.name })) },
      assets: {
        directory: assets,
        binding: of("assets")[0]?.name ?? "",
        routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true },
      },
    }),
  )
  return { miniflare, logged }
}

function toModule({ name, type, text }: Module) {
  if (type.includes("source-map")) return []
  const kind = type.includes("javascript") ? ("ESModule" as const) : ("Text" as const)
  return { type: kind, path: `/${name.replace(/^\.\//, "")}`, contents: text }
}
