import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useChange, useRead } from '../../api/queries.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Form } from '../../ui/form.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { type Demo, DemoContents } from './demo-contents.tsx'

/** Dialog that shows what removing the demo deletes, and removes it once its name is typed. */
export function RemoveDemo({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('home')
  const form = useForm({ initialValues: { name: '' } })
  const { data, error, refetch } = useRead('/admin/v1/demo', {}, { staleTime: 0 })
  const remove = useChange('post', '/admin/v1/demo/remove', {
    // The pages of a Workspace that is gone show nothing any more, so everything is loaded again.
    onDone: () => {
      form.resetDirty()
      location.assign('/dashboard/')
    },
  })
  const pending = remove.isPending || remove.isSuccess
  const submit = (name: string) => remove.mutate({ body: { name } }, { onError: showFormError(form) })
  return (
    <FormModal opened unsaved={form.isDirty() && !pending} onClose={onClose} title={t('demo.remove')}>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!(data || error) && <RowsSkeleton rows={6} />}
      {data && !data.removable && <NeedsWorkspace />}
      {data?.removable && (
        <Form onSubmit={form.onSubmit(({ name }) => submit(name))} pending={pending}>
          <Stack>
            <DemoContents demo={data} />
            <TextInput
              label={t('demo.confirm', { name: data.workspace.name })}
              autoComplete="off"
              data-autofocus
              {...form.getInputProps('name')}
            />
            <Confirm demo={data} typed={form.values.name} pending={pending} onCancel={onClose} />
          </Stack>
        </Form>
      )}
    </FormModal>
  )
}

interface ConfirmProps {
  readonly demo: Demo
  readonly typed: string
  readonly pending: boolean
  readonly onCancel: () => void
}

function Confirm({ demo, typed, pending, onCancel }: ConfirmProps) {
  const { t } = useTranslation('home')
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onCancel} disabled={pending}>
        {t('demo.cancel')}
      </Button>
      <Button type="submit" color="red" loading={pending} disabled={typed !== demo.workspace.name}>
        {t('demo.remove')}
      </Button>
    </Group>
  )
}

function NeedsWorkspace() {
  const { t } = useTranslation('home')
  return (
    <Stack>
      <Text size="sm">{t('demo.needsWorkspace')}</Text>
      <Group justify="flex-end">
        <LinkButton to="/settings/workspace">{t('demo.createWorkspace')}</LinkButton>
      </Group>
    </Stack>
  )
}
