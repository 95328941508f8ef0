import { Button, Grid, Stack } from '@mantine/core'
import { useFilters } from '../../routing/location.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Chat } from './chat.tsx'
import { Options } from './options.tsx'
import { readFilters } from './playground-filters.ts'
import { Trace } from './trace.tsx'
import { auditIdOf, useChat } from './use-chat.ts'

/** Sends chat requests as an Application and shows the trace of each. */
export function Page() {
  const [filters, setFilters] = useFilters(readFilters)
  const chat = useChat(filters)
  const { turns, selected, clear } = chat
  const auditId = selected && auditIdOf(selected)
  return (
    <Frame
      title="Playground"
      description="Send chat requests with the policies, limits, knowledge, memory and models of an Application. Audit records show your name."
      actions={
        turns.length > 0 && (
          <Button variant="default" onClick={clear}>
            Start new chat
          </Button>
        )
      }
    >
      <Options filters={filters} onChange={setFilters} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Chat chat={chat} application={filters.application} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack>
            {auditId ? (
              <Trace key={auditId} auditId={auditId} />
            ) : (
              <EmptyState title="No trace yet">
                Send a message to see the outcome of each stage, the findings and the matched rules.
              </EmptyState>
            )}
          </Stack>
        </Grid.Col>
      </Grid>
    </Frame>
  )
}
