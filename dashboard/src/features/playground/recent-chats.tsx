import { Button, Menu, Text } from '@mantine/core'
import { IconHistory, IconTrash } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useApplicationNames } from '../../api/application-names.ts'
import type { Chat, Identity } from './chat.ts'
import { isPending } from './chat-actions.ts'
import { openChat, removeChats, useSaved } from './chat-store.ts'

interface RecentChatsProps {
  readonly workspace: string | undefined
  /** Shows the chat of this Application, user and session. */
  readonly onOpen: (identity: Identity) => void
}

/** Chats of this window. */
export function RecentChats({ workspace, onOpen }: RecentChatsProps) {
  const { t } = useTranslation('playground')
  const { nameOf } = useApplicationNames()
  const chats = useSaved().chats.filter((chat) => chat.workspace === workspace && chat.turns.length > 0)
  const open = ({ id, identity }: Chat) => {
    openChat(id)
    onOpen(identity)
  }
  return (
    <Menu position="bottom-end" width={300}>
      <Menu.Target>
        <Button variant="default" disabled={chats.length === 0} leftSection={<IconHistory size={16} />}>
          {t('recent.button')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={400} style={{ overflowY: 'auto' }}>
        <Menu.Label>{t('recent.hint')}</Menu.Label>
        {chats.toReversed().map((chat) => (
          <Menu.Item key={chat.id} onClick={() => open(chat)}>
            <Text size="sm" truncate>
              {chat.turns[0]?.prompt}
            </Text>
            <Text size="xs" c="dimmed" truncate>
              {[nameOf(chat.identity.application ?? ''), chat.identity.as ?? chat.identity.user, chat.identity.session]
                .filter(Boolean)
                .join(' · ')}
            </Text>
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          color="red"
          leftSection={<IconTrash size={16} />}
          disabled={chats.some(({ turns }) => isPending(turns))}
          onClick={() => removeChats(workspace)}
        >
          {t('recent.clear')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
