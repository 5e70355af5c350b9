import Bindery
import BinderyMenu

await MenuCommand.main()
