import { Switch, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useChange } from '../api/queries.ts'
import { useSessionWorkspace } from '../api/session.ts'
import { changedFields } from '../ui/changed-fields.ts'
import { showFormError } from '../ui/form-errors.ts'
import { FormModal } from '../ui/form-modal.tsx'
import { SubmitForm } from '../ui/submit-form.tsx'
import type { View, ViewState } from './view-state.ts'

interface ViewFormProps {
  readonly page: string
  /** Absent: a new view. */
  readonly view?: View
  readonly shown: ViewState
  readonly onSaved?: (view: View) => void
  readonly onClose: () => void
}

const PATH = '/admin/v1/views'

/** Dialog that saves what the list shows as a view, or changes the name of a view and who sees it. */
export function ViewForm({ page, view, shown, onSaved, onClose }: ViewFormProps) {
  const { t } = useTranslation()
  const scopes = useSessionWorkspace()?.scopes ?? []
  const canShare = scopes.some((scope) => !scope.endsWith(':read'))
  const form = useForm({ initialValues: { name: view?.name ?? '', shared: view?.shared ?? false } })
  const create = useChange('post', PATH, { refresh: [PATH] })
  const update = useChange('patch', '/admin/v1/views/{id}', { refresh: [PATH] })
  const save = useMutation({
    mutationFn: ({ name, shared }: typeof form.values) => {
      const body = { name: name.trim(), shared }
      return view
        ? update.mutateAsync({ params: { path: { id: view.id } }, body: changedFields(body, form.getInitialValues()) })
        : create.mutateAsync({ body: { page, ...shown, ...body } })
    },
    onSuccess: (saved) => {
      onSaved?.(saved)
      onClose()
    },
    onError: showFormError(form),
  })
  return (
    <FormModal
      opened
      unsaved={form.isDirty() && !save.isPending}
      onClose={onClose}
      title={view ? t('views.form.edit') : t('views.form.create')}
    >
      <SubmitForm
        onSubmit={form.onSubmit((values) => save.mutate(values))}
        submit={t('views.form.submit')}
        pending={save.isPending}
      >
        <TextInput label={t('views.form.name')} required maxLength={80} data-autofocus {...form.getInputProps('name')} />
        <Switch
          label={t('views.form.share')}
          description={canShare ? t('views.form.shareHint') : t('views.form.cannotShare')}
          disabled={!canShare && !form.values.shared}
          {...form.getInputProps('shared', { type: 'checkbox' })}
        />
      </SubmitForm>
    </FormModal>
  )
}
