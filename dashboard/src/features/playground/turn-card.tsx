import { ActionIcon, Button, Group, Paper, Stack, Text, Textarea, Tooltip } from '@mantine/core'
import { IconPencil, IconRefresh, IconTrash } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Turn } from './chat.ts'
import type { ChatActions } from './chat-actions.ts'
import classes from './playground.module.css'
import { ReplyView } from './reply-view.tsx'

interface TurnCardProps {
  readonly turn: Turn
  readonly actions: ChatActions
  /** While a request is in flight, the chat does not change otherwise. */
  readonly disabled: boolean
  readonly shownStep: string | undefined
  readonly onShowTrace: (stepId: string) => void
  readonly onSent: (stepId: string) => void
}

/** A message with the replies of all models side by side. */
export function TurnCard({ turn, actions, disabled, shownStep, onShowTrace, onSent }: TurnCardProps) {
  const { t } = useTranslation('playground')
  const [edited, setEdited] = useState<string>()
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        {edited === undefined ? (
          <Group justify="space-between" align="flex-start" wrap="nowrap">
            <Text fw={600} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {turn.prompt}
            </Text>
            <Group gap={2} wrap="nowrap">
              <TurnAction
                label={t('turn.edit')}
                disabled={disabled}
                icon={<IconPencil size={16} />}
                onClick={() => setEdited(turn.prompt)}
              />
              <TurnAction
                label={t('turn.regenerate')}
                disabled={disabled}
                icon={<IconRefresh size={16} />}
                onClick={() => onSent(actions.regenerate(turn))}
              />
              <TurnAction
                label={t('turn.remove')}
                disabled={disabled}
                icon={<IconTrash size={16} />}
                onClick={() => actions.removeFrom(turn)}
              />
            </Group>
          </Group>
        ) : (
          <EditForm
            text={edited}
            onChange={setEdited}
            onCancel={() => setEdited(undefined)}
            onSend={() => {
              setEdited(undefined)
              onSent(actions.edit(turn, edited.trim()))
            }}
          />
        )}
        <div className={classes.replies}>
          {turn.replies.map((reply) => (
            <ReplyView
              key={reply.model}
              turn={turn}
              reply={reply}
              actions={actions}
              shownStep={shownStep}
              onShowTrace={onShowTrace}
              onSent={onSent}
            />
          ))}
        </div>
      </Stack>
    </Paper>
  )
}

interface TurnActionProps {
  readonly label: string
  readonly icon: ReactNode
  readonly disabled: boolean
  readonly onClick: () => void
}

const TurnAction = ({ label, icon, disabled, onClick }: TurnActionProps) => (
  <Tooltip label={label}>
    <ActionIcon variant="subtle" color="gray" aria-label={label} disabled={disabled} onClick={onClick}>
      {icon}
    </ActionIcon>
  </Tooltip>
)

interface EditFormProps {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly onCancel: () => void
  readonly onSend: () => void
}

/** Later messages are removed when the changed one is sent. */
function EditForm({ text, onChange, onCancel, onSend }: EditFormProps) {
  const { t } = useTranslation('playground')
  return (
    <Stack gap="xs">
      <Textarea
        label={t('turn.editLabel')}
        description={t('turn.editHint')}
        autosize
        maxRows={12}
        data-autofocus
        value={text}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <Group gap="xs">
        <Button size="xs" disabled={text.trim() === ''} onClick={onSend}>
          {t('composer.send')}
        </Button>
        <Button size="xs" variant="default" onClick={onCancel}>
          {t('turn.cancel')}
        </Button>
      </Group>
    </Stack>
  )
}
