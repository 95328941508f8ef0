import { ActionIcon, Menu, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { IconDots, IconTrash } from '@tabler/icons-react'
import { notifyError } from '../../ui/notify.ts'
import { useMember } from './member-context.ts'
import type { Message } from './member-queries.ts'
import { REACTIONS, useReact } from './reaction-types.ts'

/** Menu of a message: react, and delete own messages. */
export function MessageActions({ message, own }: { readonly message: Message; readonly own: boolean }) {
  const { client } = useMember()
  const react = useReact(message)
  const remove = () => void client.DELETE('/v1/messages/{id}', { params: { path: { id: message.id } } }).catch(notifyError)
  const confirmRemove = () =>
    modals.openConfirmModal({
      title: 'Delete message?',
      children: <Text size="sm">The message is deleted for all members. This cannot be undone.</Text>,
      labels: { confirm: 'Delete', cancel: 'Cancel' },
      confirmProps: { color: 'red' },
      onConfirm: remove,
    })
  return (
    <Menu position="bottom" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Actions for: ${message.message.slice(0, 40)}`}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {Object.entries(REACTIONS).map(([name, { label, Icon }]) => (
          <Menu.Item key={name} leftSection={<Icon size={16} />} onClick={() => react(name, true)}>
            {label}
          </Menu.Item>
        ))}
        {own && (
          <>
            <Menu.Divider />
            <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={confirmRemove}>
              Delete
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
