import { Button, Grid, Stack } from '@mantine/core'
import { useFilters } from '../../routing/location.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Chat } from './chat.tsx'
import { Options } from './options.tsx'
import { readFilters } from './playground-filters.ts'
import { Trace } from './trace.tsx'
import { auditIdOf, useConversation } from './use-conversation.ts'

/** Asks as an Application would, and shows how the answer came about. */
export function Page() {
  const [filters, setFilters] = useFilters(readFilters)
  const conversation = useConversation(filters)
  const { turns, chosen, clear } = conversation
  const auditId = chosen && auditIdOf(chosen)
  return (
    <Frame
      title="Playground"
      description="Ask as an Application would: its policies, limits, knowledge, memory and models. The record says that it was you."
      actions={
        turns.length > 0 && (
          <Button variant="default" onClick={clear}>
            New chat
          </Button>
        )
      }
    >
      <Options filters={filters} onChange={setFilters} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Chat conversation={conversation} application={filters.application} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack>
            {auditId ? (
              <Trace key={auditId} auditId={auditId} />
            ) : (
              <EmptyState title="The twelve stages">
                Send a message: here you see what each stage made of it, what was found and which rule decided.
              </EmptyState>
            )}
          </Stack>
        </Grid.Col>
      </Grid>
    </Frame>
  )
}
