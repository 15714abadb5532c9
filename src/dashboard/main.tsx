// First, so that the router never sees the token.
import "./app/link-token.ts"
import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { queries } from "./api/queries.ts"
import { preloadPage, router } from "./app/router.tsx"
import "./styles.css"

// Zod reads this name when it is loaded. Compiled schemas need eval, which the security policy refuses.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })

preloadPage()
createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
