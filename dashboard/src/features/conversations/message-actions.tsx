import { ActionIcon, Menu, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { IconDots, IconTrash } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { notifyError } from '../../ui/notify.ts'
import { useMember } from './member-context.ts'
import type { Message } from './member-queries.ts'
import { REACTIONS, useReact } from './reaction-types.ts'

/** Menu of a message: react, and delete own messages. */
export function MessageActions({ message, own }: { readonly message: Message; readonly own: boolean }) {
  const { t } = useTranslation('conversations')
  const { client } = useMember()
  const react = useReact(message)
  const remove = () => void client.DELETE('/v1/messages/{id}', { params: { path: { id: message.id } } }).catch(notifyError)
  const confirmRemove = () =>
    modals.openConfirmModal({
      title: t('remove.title'),
      children: <Text size="sm">{t('remove.warning')}</Text>,
      labels: { confirm: t('remove.confirm'), cancel: t('remove.cancel') },
      confirmProps: { color: 'red' },
      onConfirm: remove,
    })
  return (
    <Menu position="bottom" withinPortal>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={t('message.actions', { text: message.message.slice(0, 40) })}
        >
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {Object.entries(REACTIONS).map(([name, { label, Icon }]) => (
          <Menu.Item key={name} leftSection={<Icon size={16} />} onClick={() => react(name, true)}>
            {t(`reactions.${label}`)}
          </Menu.Item>
        ))}
        {own && (
          <>
            <Menu.Divider />
            <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={confirmRemove}>
              {t('remove.confirm')}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
