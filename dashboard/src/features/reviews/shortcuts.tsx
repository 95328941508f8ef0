import { ActionIcon, Group, Kbd, Modal, Stack, Table } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconKeyboard } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { LetterKeysSwitch } from '../../ui/letter-keys-switch.tsx'
import { useLetterKeys } from '../../ui/use-letter-keys.ts'

const SHORTCUTS = [
  ['J', 'next'],
  ['K', 'previous'],
  ['A', 'approve'],
  ['D', 'deny'],
  ['E', 'acknowledge'],
  ['Enter', 'confirm'],
  ['Esc', 'cancel'],
  ['U', 'undo'],
  ['?', 'keys'],
] as const

/** Shows the keys of the page, and turns single keys off. `?` opens it too. */
export function Shortcuts() {
  const { t } = useTranslation('reviews')
  const [opened, { open, close }] = useDisclosure()
  useLetterKeys([
    ['?', open],
    ['shift+?', open],
  ])
  return (
    <>
      <ActionIcon
        variant="default"
        size="input-sm"
        visibleFrom="md"
        aria-label={t('shortcuts.title')}
        aria-keyshortcuts="?"
        onClick={open}
      >
        <IconKeyboard size={18} />
      </ActionIcon>
      <Modal opened={opened} onClose={close} title={t('shortcuts.title')}>
        <Stack>
          <Table>
            <Table.Tbody>
              {SHORTCUTS.map(([key, name]) => (
                <Table.Tr key={key}>
                  <Table.Th scope="row" w={80} fw={400}>
                    <Group>
                      <Kbd>{key}</Kbd>
                    </Group>
                  </Table.Th>
                  <Table.Td>{t(`shortcuts.${name}`)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
          <LetterKeysSwitch />
        </Stack>
      </Modal>
    </>
  )
}
