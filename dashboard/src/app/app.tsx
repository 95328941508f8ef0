import { MantineProvider } from '@mantine/core'
import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useWorkspace } from '../api/workspace.ts'
import { createQueryClient } from './query-client.ts'
import { router, toSignIn } from './router.tsx'
import { styleNonce } from './style-nonce.ts'
import { readableWords, theme } from './theme.ts'

/** The whole dashboard. What was read in one Workspace is not shown in another: each has a cache of its own. */
export function App() {
  const workspace = useWorkspace()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new Workspace is the reason for a new cache
  const queries = useMemo(() => createQueryClient(toSignIn), [workspace])
  return (
    <MantineProvider theme={theme} cssVariablesResolver={readableWords} defaultColorScheme="auto" getStyleNonce={styleNonce}>
      <QueryClientProvider client={queries}>
        <ModalsProvider>
          <Notifications position="top-right" />
          <RouterProvider router={router} />
        </ModalsProvider>
      </QueryClientProvider>
    </MantineProvider>
  )
}
