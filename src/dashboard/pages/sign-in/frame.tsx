import { type ReactNode, useEffect } from "react"
import { Logo } from "../../ui/logo.tsx"

/** A page without a session: one narrow column. */
export function Frame({
  title,
  about,
  children,
}: {
  title: string
  about?: ReactNode
  children: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Edgepost`
  }, [title])
  return (
    <main className="mx-auto grid w-full max-w-[392px] gap-6 px-4 py-[12vh]">
      <header className="grid gap-2">
        <p className="mb-4 flex items-center gap-2 text-base font-semibold">
          <Logo size={26} /> Edgepost
        </p>
        <h1 className="text-xl font-semibold tracking-tight wrap-anywhere">{title}</h1>
        {about && <div className="text-muted wrap-anywhere">{about}</div>}
      </header>
      {children}
    </main>
  )
}
