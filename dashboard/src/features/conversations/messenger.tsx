import { Alert, Button, Center, Paper } from '@mantine/core'
import { usePathParam } from '../../routing/location.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ConversationList } from './conversation-list.tsx'
import classes from './conversations.module.css'
import { useLive } from './live.ts'
import { Thread } from './thread.tsx'

/** The user's conversations, and the one that is open. */
export function Messenger({ onTokenEnded }: { readonly onTokenEnded: () => void }) {
  const open = usePathParam('id')
  const connection = useLive()
  return (
    <>
      {connection === 'ended' && (
        <Alert role="alert" color="yellow" title="The token has been revoked">
          <Button size="xs" variant="default" onClick={onTokenEnded}>
            Issue another
          </Button>
        </Alert>
      )}
      <div className={classes.panes}>
        <Paper
          component="section"
          aria-label="Conversations"
          withBorder
          className={`${classes.pane} ${open === '' ? '' : classes.covered}`}
        >
          <ConversationList open={open} connection={connection} />
        </Paper>
        <Paper
          component="section"
          aria-label="Messages"
          withBorder
          className={`${classes.pane} ${open === '' ? classes.covered : ''}`}
        >
          {open === '' ? (
            <Center h="100%">
              <EmptyState title="No conversation is open">Choose one, or begin a new one.</EmptyState>
            </Center>
          ) : (
            <Thread key={open} id={open} />
          )}
        </Paper>
      </div>
    </>
  )
}
