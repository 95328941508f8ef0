import { Button, Group, Kbd, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'

interface UndoMessageProps {
  readonly text: string
  readonly onUndo: () => void
  readonly onSend: () => void
}

/** The text of a notification whose decision is not sent yet. */
export function UndoMessage({ text, onUndo, onSend }: UndoMessageProps) {
  const { t } = useTranslation('reviews')
  return (
    <>
      <Text size="sm">{text}</Text>
      <Group gap="xs" mt={4}>
        <Button
          size="compact-sm"
          variant="default"
          aria-keyshortcuts="U"
          rightSection={
            <Kbd size="xs" aria-hidden visibleFrom="sm">
              U
            </Kbd>
          }
          onClick={onUndo}
        >
          {t('undo.action')}
        </Button>
        <Button size="compact-sm" variant="subtle" onClick={onSend}>
          {t('undo.send')}
        </Button>
      </Group>
    </>
  )
}
