import { readConfig, readEnv } from "./src/config.ts";
import { serve } from "./src/serve.ts";
const serving = await serve(readConfig(readEnv()));
console.log(serving.url);
void serving;
