import type { Visit } from "../../dashboard/visit.ts";

/** For a file, or the same text pasted. */
export const FileFields = ({ visit }: { visit: Visit }) => {
  const fault = visit.fault?.fields.get("lines");
  // A file can't be put back into its field, so its text is shown for another try.
  const text = visit.fault ? visit.form.text("file") || visit.form.text("lines") : "";
  return (
    <>
      <div class="field">
        <label for="field-file">
          CSV file <span class="quiet">(or paste it below)</span>
        </label>
        <input id="field-file" name="file" type="file" accept=".csv,.txt,text/csv,text/plain" />
      </div>
      <div class="field">
        <label for="field-lines">
          Lines <span class="quiet">(if there is no file)</span>
        </label>
        <textarea
          id="field-lines"
          name="lines"
          class="mono lines"
          rows={10}
          spellcheck="false"
          aria-invalid={fault ? "true" : undefined}
          aria-describedby={fault ? "field-lines-fault" : "columns"}
        >
          {`\n${text}`}
        </textarea>
        {fault && <p class="field-fault" id="field-lines-fault">{fault}</p>}
      </div>
    </>
  );
};
