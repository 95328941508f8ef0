import { Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { changedFields } from '../../ui/changed-fields.ts'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { notifySuccess } from '../../ui/notify.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { useFormSync } from '../../ui/use-form-sync.ts'
import { DOCUMENT_REFRESH, type Document } from './document.ts'
import { LabelsFields, type LabelValues, labelsBody } from './labels-fields.tsx'

export function EditDocumentButton({ document }: { readonly document: Document }) {
  const { t } = useTranslation('knowledge')
  const { id, title, classification, regulations, acl, front_matter } = document
  const stored: LabelValues = { classification, regulations, acl }
  const form = useForm<LabelValues>({ initialValues: stored })
  const dialog = useFormDialog(form)
  const update = useChange('patch', '/admin/v1/documents/{id}', {
    refresh: DOCUMENT_REFRESH,
    onDone: () => {
      dialog.saved()
      notifySuccess(t('access.saved'))
    },
  })
  useFormSync(form, stored)
  const save = (values: LabelValues) =>
    update.mutate(
      { params: { path: { id } }, body: changedFields(labelsBody(values), labelsBody(form.getInitialValues())) },
      { onError: showFormError(form) },
    )
  const hasFrontMatter = front_matter.classification !== null || front_matter.acl !== null
  return (
    <FormDialog
      dialog={dialog}
      title={t('access.editTitleOf', { name: title })}
      label={t('access.edit')}
      variant="default"
      size="xs"
      wide
      pending={update.isPending}
    >
      <SubmitForm onSubmit={form.onSubmit(save)} submit={t('access.save')} pending={update.isPending}>
        <LabelsFields form={form} unsetLabels={{ classification: t('form.sameClassification'), acl: t('form.sameReaders') }} />
        {hasFrontMatter && (
          <Text size="sm" c="dimmed">
            {t('document.frontMatterHint')}
          </Text>
        )}
      </SubmitForm>
    </FormDialog>
  )
}
