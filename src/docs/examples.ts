import checkout from "../../docs/examples/node/checkout.mjs" with { type: "text" };
import go from "../../docs/examples/go/cpg.go" with { type: "text" };
import node from "../../docs/examples/node/cpg.mjs" with { type: "text" };
import shop from "../../docs/examples/node/shop.mjs" with { type: "text" };
import php from "../../docs/examples/php/cpg.php" with { type: "text" };
import shopPhp from "../../docs/examples/php/shop.php" with { type: "text" };
import shopPython from "../../docs/examples/python/shop.py" with { type: "text" };
import python from "../../docs/examples/python/cpg.py" with { type: "text" };
import ruby from "../../docs/examples/ruby/cpg.rb" with { type: "text" };
import shell from "../../docs/examples/shell/cpg.sh" with { type: "text" };

interface Example {
  readonly language: string;
  readonly file: string;
  readonly text: string;
  /** How it is started, before its arguments. */
  readonly start: string;
}

/** The programs of docs/examples, as they are tested. */
export const EXAMPLES: readonly Example[] = [
  { language: "Shell", file: "cpg.sh", text: shell, start: "bash cpg.sh" },
  { language: "Node", file: "cpg.mjs", text: node, start: "node cpg.mjs" },
  { language: "Python", file: "cpg.py", text: python, start: "python3 cpg.py" },
  { language: "PHP", file: "cpg.php", text: php, start: "php cpg.php" },
  { language: "Go", file: "cpg.go", text: go, start: "go run cpg.go" },
  { language: "Ruby", file: "cpg.rb", text: ruby, start: "ruby cpg.rb" },
];

/** The shops of the guide. */
export const SHOPS = [
  { id: "checkout", file: "checkout.mjs", text: checkout },
  { id: "shop", file: "shop.mjs", text: shop },
  { id: "shop-python", file: "shop.py", text: shopPython },
  { id: "shop-php", file: "shop.php", text: shopPhp },
] as const;
