import type { NoticeMessage, ReceiverKind } from "../rules/notices.ts";

interface Note extends NoticeMessage {
  /** An e-mail address, or the id of a chat. */
  readonly to: string;
  /** The same for each try, so that a receiver can recognise a copy. */
  readonly id: string;
}

/** Throws an error that says why if it wasn't taken. */
export type SendNote = (note: Note) => Promise<void>;

export interface NoteSenders {
  /** Undefined: not configured. */
  readonly send: Readonly<Record<Exclude<ReceiverKind, "webhook">, SendNote | undefined>>;
  /** Where a message says to look; null: there are no pages. */
  readonly link: string | null;
}
