import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useUnsavedWarning } from '../../ui/use-unsaved-warning.ts'
import classes from './playground.module.css'

interface ComposerProps {
  readonly disabled: boolean
  /** Number of models that get the message. */
  readonly models: number
  readonly pending: boolean
  readonly onSend: (prompt: string) => void
  readonly onStop: () => void
}

/** Input for the next message. Enter sends it, except while an input method composes a character. */
export function Composer({ disabled, models, pending, onSend, onStop }: ComposerProps) {
  const { t } = useTranslation('playground')
  const [text, setText] = useState('')
  useUnsavedWarning(text.trim() !== '')
  const ready = !(disabled || pending) && text.trim() !== ''
  const submit = () => {
    if (!ready) return
    setText('')
    onSend(text.trim())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  return (
    <Stack gap="xs" className={classes.composer ?? ''}>
      <Textarea
        label={t('composer.message')}
        autosize
        minRows={2}
        maxRows={12}
        placeholder={t('composer.placeholder')}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          {t('composer.keys')}
        </Text>
        {pending ? (
          <Button variant="default" onClick={onStop}>
            {t('composer.stop')}
          </Button>
        ) : (
          <Button disabled={!ready} onClick={submit}>
            {models > 1 ? t('composer.sendToModels', { count: models }) : t('composer.send')}
          </Button>
        )}
      </Group>
    </Stack>
  )
}
