import { type ReactNode, type RefObject, useEffect, useRef } from "react"
import { cx } from "./cx.ts"

/** Three lines on a phone show this many characters. */
const LONG_TITLE = 75

/** An editor's head stays on screen; on a phone, its actions. What sticks below them needs their height. */
function useHeadHeight(
  page: RefObject<HTMLElement | null>,
  head: RefObject<HTMLElement | null>,
  isSticky: boolean | undefined,
) {
  useEffect(() => {
    const header = head.current
    if (!isSticky || !header) return
    const actions = header.lastElementChild as HTMLElement
    const measure = () => {
      const height = header.offsetHeight || actions.offsetHeight
      page.current?.style.setProperty("--head", `${height}px`)
    }
    const observer = new ResizeObserver(measure)
    observer.observe(header)
    observer.observe(actions)
    return () => observer.disconnect()
  }, [page, head, isSticky])
}

/** The frame of a page: its title, its subject, and its actions on the right. */
export function Page({
  title,
  above,
  about,
  actions,
  wide,
  children,
}: {
  title: string
  /** A link back, or a badge, over the title. */
  above?: ReactNode
  about?: ReactNode
  actions?: ReactNode
  /** For editors, which show two things side by side. */
  wide?: boolean
  children: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Edgepost`
  }, [title])
  const page = useRef<HTMLDivElement>(null)
  const head = useRef<HTMLElement>(null)
  useHeadHeight(page, head, wide)
  return (
    <div
      ref={page}
      className={cx(
        "mx-auto grid w-full gap-6 px-4 pb-6 sm:px-8",
        wide ? "max-w-[1600px] max-sm:pt-3" : "max-w-6xl pt-6",
      )}
    >
      <header
        ref={head}
        className={cx(
          "flex flex-wrap items-start justify-between gap-4 has-[>div>[data-more]:only-child]:flex-nowrap",
          wide &&
            "max-sm:contents sm:sticky sm:top-12 sm:z-20 sm:-mb-3 sm:bg-ground sm:py-3 md:top-0",
        )}
      >
        <div className="min-w-0 max-w-full sm:flex-1 sm:basis-72">
          {above && <div className="mb-1 text-muted">{above}</div>}
          <h1
            title={title.length > LONG_TITLE ? title : undefined}
            className="line-clamp-3 text-[22px]/7 font-semibold tracking-tight wrap-anywhere"
          >
            {title}
          </h1>
          {about && (
            <div className="mt-1 max-w-prose text-pretty text-muted wrap-anywhere">{about}</div>
          )}
        </div>
        {actions && (
          <div
            className={cx(
              "flex flex-wrap items-center gap-2 sm:justify-end",
              wide &&
                "max-sm:sticky max-sm:top-12 max-sm:z-20 max-sm:-my-2 max-sm:bg-ground max-sm:py-2",
            )}
          >
            {actions}
          </div>
        )}
      </header>
      {children}
    </div>
  )
}

export function Section({
  title,
  about,
  actions,
  children,
}: {
  title: string
  about?: ReactNode
  actions?: ReactNode
  children: ReactNode
}) {
  return (
    <section className="grid min-w-0 content-start gap-3">
      <div className="flex flex-wrap items-end justify-between gap-2">
        <div>
          <h2 className="text-[15px]/5 font-semibold">{title}</h2>
          {about && <p className="max-w-prose text-pretty text-muted">{about}</p>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </section>
  )
}

export function Card({ children, className = "p-4" }: { children: ReactNode; className?: string }) {
  return <div className={`min-w-0 rounded-lg border bg-raised ${className}`}>{children}</div>
}

/** Names and values, such as an email's sender and recipients. */
export function Facts({
  facts,
}: {
  facts: readonly (readonly [name: string, value: ReactNode] | false | null | undefined)[]
}) {
  return (
    <dl className="grid grid-cols-[minmax(64px,max-content)_minmax(0,1fr)] items-baseline gap-x-3 gap-y-2 sm:grid-cols-[minmax(80px,max-content)_minmax(0,1fr)] sm:gap-x-6">
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact[0]} className="contents">
              <dt className="text-muted">{fact[0]}</dt>
              <dd className="min-w-0 wrap-anywhere">{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
