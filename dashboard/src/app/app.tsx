import { MantineProvider } from '@mantine/core'
import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useWorkspace } from '../api/workspace.ts'
import { styleNonce } from '../ui/style-nonce.ts'
import { createQueryClient } from './query-client.ts'
import { redirectToSignIn, router } from './router.tsx'
import { accessibleColors, theme } from './theme.ts'

/** react-remove-scroll reads the nonce from this variable. */
Object.assign(globalThis, { __webpack_nonce__: styleNonce() })

/** The dashboard. Each Workspace has its own query cache, so that data of one is never shown in another. */
export function App() {
  const workspace = useWorkspace()
  // biome-ignore lint/correctness/useExhaustiveDependencies: each Workspace has its own cache
  const queries = useMemo(() => createQueryClient(redirectToSignIn), [workspace])
  return (
    <MantineProvider theme={theme} cssVariablesResolver={accessibleColors} defaultColorScheme="auto" getStyleNonce={styleNonce}>
      <QueryClientProvider client={queries}>
        <ModalsProvider>
          <Notifications position="top-right" />
          <RouterProvider router={router} />
        </ModalsProvider>
      </QueryClientProvider>
    </MantineProvider>
  )
}
