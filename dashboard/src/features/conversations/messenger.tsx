import { Alert, Button, Center, Paper } from '@mantine/core'
import { ModalsProvider } from '@mantine/modals'
import { useTranslation } from 'react-i18next'
import { usePathParam } from '../../routing/location.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ConversationList } from './conversation-list.tsx'
import classes from './conversations.module.css'
import { Thread } from './thread.tsx'
import { useLiveUpdates } from './use-live-updates.ts'

/** List of conversations and the open conversation. */
export function Messenger({ onTokenEnded }: { readonly onTokenEnded: () => void }) {
  const { t } = useTranslation('conversations')
  const open = usePathParam('id')
  const connection = useLiveUpdates()
  return (
    <ModalsProvider>
      {connection === 'ended' && (
        <Alert role="alert" color="yellow" title={t('token.revoked')}>
          <Button size="xs" variant="default" onClick={onTokenEnded}>
            {t('token.create')}
          </Button>
        </Alert>
      )}
      <div className={classes.panes}>
        <Paper
          component="section"
          aria-label={t('title')}
          withBorder
          className={`${classes.pane} ${open === '' ? '' : classes.covered}`}
        >
          <ConversationList open={open} connection={connection} />
        </Paper>
        <Paper
          component="section"
          aria-label={t('messages')}
          withBorder
          className={`${classes.pane} ${open === '' ? classes.covered : ''}`}
        >
          {open === '' ? (
            <Center h="100%">
              <EmptyState title={t('none.title')}>{t('none.hint')}</EmptyState>
            </Center>
          ) : (
            <Thread key={open} id={open} />
          )}
        </Paper>
      </div>
    </ModalsProvider>
  )
}
