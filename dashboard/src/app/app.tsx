import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useWorkspace } from '../api/workspace.ts'
import { styleNonce } from '../ui/style-nonce.ts'
import { accessibleColors } from './colors.ts'
import { useDensity } from './density.ts'
import { Notifications } from './notifications.tsx'
import { createQueryClient } from './query-client.ts'
import { redirectToSignIn, router } from './router.tsx'
import { themeOf } from './theme.ts'

/** react-remove-scroll reads the nonce from this variable. */
Object.assign(globalThis, { __webpack_nonce__: styleNonce() })

/** The dashboard. Each Workspace has its own query cache, so that data of one is never shown in another. */
export function App() {
  const workspace = useWorkspace()
  const [density] = useDensity()
  // biome-ignore lint/correctness/useExhaustiveDependencies: each Workspace has its own cache
  const queries = useMemo(() => createQueryClient(redirectToSignIn), [workspace])
  return (
    <MantineProvider
      theme={themeOf(density)}
      cssVariablesResolver={accessibleColors}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <QueryClientProvider client={queries}>
        <Notifications />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  )
}
