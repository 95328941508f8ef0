import { Button, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { changedFields } from '../../ui/changed-fields.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { EDIT_BUTTON, FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { notifyError, notifySuccess } from '../../ui/notify.ts'
import { useFormSync } from '../../ui/use-form-sync.ts'
import { type Source, SourceForm, settingsBody, sourceValues, useSourceForm } from './source-form.tsx'

export const SOURCES_PATH = '/admin/v1/knowledge/sources'
/** The readers of a source are those of its documents. */
const SOURCE_REFRESH = [SOURCES_PATH, '/admin/v1/documents']

export function CreateSourceButton({ collectionId }: { readonly collectionId: string }) {
  const { t } = useTranslation('knowledge')
  const form = useSourceForm()
  const dialog = useFormDialog(form)
  const create = useChange('post', SOURCES_PATH, {
    refresh: [SOURCES_PATH],
    onDone: () => {
      dialog.dismiss()
      notifySuccess(t('sources.created'))
    },
  })
  return (
    <FormDialog dialog={dialog} title={t('sources.create')} variant="default" size="xs" wide pending={create.isPending}>
      <SourceForm
        form={form}
        submit={t('create.submit')}
        pending={create.isPending}
        onSubmit={(values) => {
          const { kind, name } = values
          const body = { collection_id: collectionId, kind, name: name.trim(), ...settingsBody(values) }
          create.mutate({ body }, { onError: showFormError(form) })
        }}
      />
    </FormDialog>
  )
}

interface SourceProps {
  readonly source: Source
}

export const SourceActions = ({ source }: SourceProps) => (
  <Group gap="xs" justify="flex-end">
    <SyncButton source={source} />
    <EditButton source={source} />
    <DeleteButton source={source} />
  </Group>
)

function EditButton({ source }: SourceProps) {
  const { t } = useTranslation('knowledge')
  const { id, name } = source
  const form = useSourceForm(source)
  const dialog = useFormDialog(form)
  const update = useChange('patch', `${SOURCES_PATH}/{id}`, {
    refresh: SOURCE_REFRESH,
    onDone: ({ relabelling }) => {
      dialog.saved()
      notifySuccess(relabelling ? t('sources.savedReaders') : t('access.saved'))
    },
  })
  useFormSync(form, sourceValues(source))
  return (
    <FormDialog
      {...EDIT_BUTTON}
      dialog={dialog}
      title={t('access.editTitle', { name })}
      aria-label={t('access.editTitle', { name })}
      wide
      pending={update.isPending}
    >
      <SourceForm
        form={form}
        source={source}
        submit={t('access.save')}
        pending={update.isPending}
        onSubmit={(values) =>
          update.mutate(
            { params: { path: { id } }, body: changedFields(settingsBody(values), settingsBody(form.getInitialValues())) },
            { onError: showFormError(form) },
          )
        }
      />
    </FormDialog>
  )
}

function SyncButton({ source: { id, name, enabled, syncing_since, failure } }: SourceProps) {
  const { t } = useTranslation('knowledge')
  const sync = useChange('post', `${SOURCES_PATH}/{id}/sync`, { refresh: [SOURCES_PATH] })
  const params = { path: { id } }
  return (
    <>
      {failure?.code === 'deletion_refused' && enabled && (
        <ConfirmButton
          question={t('sources.forceQuestion', { name })}
          consequence={t('sources.forceConsequence')}
          onConfirm={() => sync.mutateAsync({ params, body: { force: true } })}
        >
          {t('sources.force')}
        </ConfirmButton>
      )}
      <Button
        size="xs"
        variant="default"
        disabled={!enabled || syncing_since !== null}
        loading={sync.isPending}
        onClick={() => sync.mutate({ params, body: {} }, { onError: notifyError })}
      >
        {t('sources.sync')}
      </Button>
    </>
  )
}

function DeleteButton({ source: { id, name } }: SourceProps) {
  const { t } = useTranslation('knowledge')
  const remove = useChange('delete', `${SOURCES_PATH}/{id}`, { refresh: [SOURCES_PATH] })
  return (
    <ConfirmButton
      question={t('delete.question', { name })}
      consequence={t('delete.source')}
      aria-label={t('delete.labelOf', { name })}
      onConfirm={() => remove.mutateAsync({ params: { path: { id } } })}
    >
      {t('delete.label')}
    </ConfirmButton>
  )
}
