import { Alert, Button, Center, Paper } from '@mantine/core'
import { usePathParam } from '../../routing/location.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ConversationList } from './conversation-list.tsx'
import classes from './conversations.module.css'
import { Thread } from './thread.tsx'
import { useLiveUpdates } from './use-live-updates.ts'

/** List of conversations and the open conversation. */
export function Messenger({ onTokenEnded }: { readonly onTokenEnded: () => void }) {
  const open = usePathParam('id')
  const connection = useLiveUpdates()
  return (
    <>
      {connection === 'ended' && (
        <Alert role="alert" color="yellow" title="The access token was revoked">
          <Button size="xs" variant="default" onClick={onTokenEnded}>
            Create new token
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
              <EmptyState title="No conversation selected">Select a conversation or start a new one.</EmptyState>
            </Center>
          ) : (
            <Thread key={open} id={open} />
          )}
        </Paper>
      </div>
    </>
  )
}
